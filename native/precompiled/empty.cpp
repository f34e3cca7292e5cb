// A library has a source; this one is here for its precompiled header.
