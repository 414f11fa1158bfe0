"""How fast we are beside git itself, beside bare parsing and bare SQL, and beside others who read git."""
