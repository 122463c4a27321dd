"""python -m bankstripe: the program.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import sys

from . import program

os.execv(program(), ["bankstripe", *sys.argv[1:]])
