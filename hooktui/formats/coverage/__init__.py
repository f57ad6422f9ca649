"""What an approval covers: the files a hook loads, what it may load besides, and the command that runs them as approved."""

from hooktui.formats.coverage.approved_command import ApprovedCommand, read
from hooktui.formats.coverage.covered_files import covered, gaps

__all__ = ["ApprovedCommand", "covered", "gaps", "read"]
