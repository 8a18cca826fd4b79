"""What the installed package says of itself."""

from importlib.metadata import distribution

from check import same

LICENCES = {"LICENSE-MIT": "MIT License", "LICENSE-APACHE": "Apache License"}

package = distribution("toolmend")
same(package.metadata["License-Expression"], "MIT OR Apache-2.0")
same(sorted(package.metadata.get_all("License-File") or []), sorted(LICENCES))
same(package.metadata["Requires-Python"], ">=3.10")
same(package.requires, None)
files = {path.name: path for path in package.files or []}
same({"py.typed", *LICENCES} - files.keys(), set())
same([name for name, words in LICENCES.items() if words not in files[name].read_text()], [])
