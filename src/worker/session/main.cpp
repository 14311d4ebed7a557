// transformeter-worker: loads LibTorch, connects to the command, and serves one session with the built-in families.
#include "session/program.h"

int main(int argc, char** argv) {
  transformeter::run_worker(argc, argv, transformeter::builtin_parts(), "transformeter-worker");
}
