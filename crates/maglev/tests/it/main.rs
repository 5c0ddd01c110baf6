//! Known answers of the paper and of programs, the arithmetic, the theory, and long walks.

mod answers;
mod theory;
mod walk;
mod world;
