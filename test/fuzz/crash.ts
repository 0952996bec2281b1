/** A decoder that does not survive its upload. */
process.kill(process.pid, "SIGSEGV");
