"""`python -m vqs` is `vqs`."""

import sys

from vqs.cli.main import main

sys.exit(main())
