// The command that repeats the run.
#include "report/command_line.h"
#include "report/report_sections.h"

namespace transformeter {

std::vector<Block> reproduce_section(const SectionInput& input) {
  return {Code{reproduce_command(*input.run.run)}};
}

}  // namespace transformeter
