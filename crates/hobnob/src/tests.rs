//! Tests of the binary as a whole that need its insides: the documentation and the program agree.

mod documentation;
