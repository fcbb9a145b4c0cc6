"""How Sphinx makes the site."""

from importlib.metadata import version as _version

project = "teeter"
version = release = _version("teeter")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
smartquotes = False  # `--tilt` keeps its dashes
html_theme = "furo"
html_title = "teeter"
html_static_path = ["_static"]
html_css_files = ["teeter.css"]
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#8a4b1f", "color-brand-content": "#8a4b1f"},
    "dark_css_variables": {"color-brand-primary": "#e0a46c", "color-brand-content": "#e0a46c"},
}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"
