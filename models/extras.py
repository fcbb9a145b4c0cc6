"""The line that installs what is missing: what teeter says it needs, whether it came as a wheel or is a checkout.

Not `pip install 'teeter[...]'`: that asks an index for teeter, which need not be there, nor be ours.
"""

import re
from importlib.metadata import PackageNotFoundError, requires

NAME = re.compile(r"[\w.-]+")


def install_line(*packages: str, extra: str = "") -> str:
    """Returns the command that installs packages in the versions that teeter takes. extra: all those of this extra."""
    try:
        lines = requires("teeter") or []
    except PackageNotFoundError:
        lines = []
    requirements = {}
    for line in lines:
        requirement, _, marker = line.partition(";")
        name = NAME.match(requirement)
        assert name is not None
        if name[0] in packages or (extra and re.search(rf"extra == .{extra}\b", marker)):
            requirements[name[0]] = requirement.strip()
    wanted = [requirements.get(name, name) for name in packages] or [*requirements.values()]
    if not wanted:
        return f"pip install '.[{extra}]' in the folder of teeter"
    return "pip install " + " ".join(f"'{name}'" for name in wanted)
