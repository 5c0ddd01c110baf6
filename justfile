# What a person runs. Each recipe is one cargo command, so everything works without just, too.

# List the recipes.
default:
    @just --list --unsorted

# Compare every strategy, new ones included, and rebuild reports/.
bench-all *ARGS:
    cargo bench-all {{ARGS}}

# One screen for your cluster size.
compare N='40' *ARGS:
    cargo compare {{N}} {{ARGS}}

# Race other people's crates against ours, and add it to reports/.
bench-peers *ARGS:
    cargo bench-peers {{ARGS}}

# Run every check and every test.
test:
    cargo test-all

# Start a strategy crate from templates/strategy.
new NAME:
    cargo xtask new {{NAME}}

# Link every folder under crates/ to the registry.
sync *ARGS:
    cargo xtask sync {{ARGS}}

# Time look-ups with criterion, of the strategies whose names match.
bench-micro *FILTER:
    cargo bench --locked --package bench-harness --bench micro -- {{FILTER}}

# Walk 100,000 random adds and removes over every strategy.
soak STEPS='100000':
    RINGMARK_SOAK={{STEPS}} cargo test --locked --release --package registry soak -- --nocapture
