//! Many documents: reading what people have, writing it back in its own format.
