"""`python -m layoutcheck`."""

from .cli import main

raise SystemExit(main())
