// The command `transformeter`.
#include "cli/program.h"

int main(int argc, char** argv) {
  return transformeter::run_program(argc, argv);
}
