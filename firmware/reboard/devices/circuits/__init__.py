"""The circuits of the device kinds: for each, a TOML file with parts and nets and a module with rules and a drawing."""
