"""Virtual text displays, a module for each kind."""
