"""What all tests against a running foldd share: the daemon, a client, elements."""
