"""The folders of the checkout as one package, `teeter`; all else stands in pyproject.toml."""

from setuptools import find_namespace_packages, setup

PARTS = ("engine", "games", "models", "scenes")
NO_PACKAGES = ("*pictures", "*page.src*", "*__pycache__*")

setup(
    packages=[
        "teeter",
        *(f"teeter.{part}" for part in PARTS),
        *(f"teeter.{part}.{name}" for part in PARTS for name in find_namespace_packages(part, NO_PACKAGES)),
    ],
    data_files=[("share/man/man1", ["docs/teeter.1"])],
    package_dir={"teeter": "teeter"} | {f"teeter.{part}": part for part in PARTS},
)
