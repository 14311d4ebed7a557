// The source the tests' precompiled header is built with; it needs one.
