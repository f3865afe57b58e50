from layoutcheck.__main__ import main

raise SystemExit(main())
