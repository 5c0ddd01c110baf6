//! Known answers, what moves, theory, and long walks.

mod moves;
mod redis;
mod theory;
mod walk;
mod world;
