"""Makes the generator of the reference pages importable, which is a program beside them."""

import sys

from project_text import ROOT

sys.path.insert(0, str(ROOT / "docs"))
