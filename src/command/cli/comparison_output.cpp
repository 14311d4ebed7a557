// Of `compare` and `replay`.
#include "cli/comparison_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "base/error.h"
#include "base/files.h"
#include "cli/document_output.h"
#include "cli/output_format.h"
#include "cli/output_path.h"
#include "cli/standard_output.h"
#include "report/display_text.h"
#include "report/json_text.h"
#include "report/run_comparison_report.h"
#include "schema/status.h"

namespace transformeter {
namespace {

const std::vector<std::string> kComparisonFormats{"table", "json", "markdown", "junit"};
constexpr FileEnding kComparisonEndings[] = {
    {".txt", "table"}, {".json", "json"}, {".md", "markdown"}, {".xml", "junit"}};

// The place is shown above the message, which is one line.
Gate gate_of(const std::string& condition) {
  try {
    return parse_gate(condition);
  } catch (const GateFault& fault) {
    std::fputs(fmt::format("  {}\n  {}\n", one_line(condition), fault.marked).c_str(), stderr);
    throw Error(fault.kind(), fmt::format("--fail-if: {}", fault.what()));
  }
}

std::string comparison_text(const RunComparison& comparison, const std::string& format, const Terminal& terminal) {
  if (format == "json") return json_text(run_comparison_json(comparison));
  if (format == "junit") return run_comparison_junit(comparison);
  return document_as(format, run_comparison_document(comparison), terminal);
}

}  // namespace

OptionDeclaration ComparisonOutput::fail_if_option() {
  return {.names = {"--fail-if"},
          .target = &conditions_,
          .placeholder = "CONDITION",
          .help = "fail if a case fulfils it, e.g. 'latency.median > +3%'; may be repeated"};
}

OptionDeclaration ComparisonOutput::output_option() {
  return {.names = {"-o", "--output"},
          .target = &output_,
          .placeholder = "FILE",
          .help = "write to this file too; its ending, .txt, .json, .md or .xml, chooses the format"};
}

OptionDeclaration ComparisonOutput::format_option() {
  return asked_format_option(asked_format_, kComparisonFormats);
}

void ComparisonOutput::check() {
  if (asked_format_) check_format(*asked_format_, kComparisonFormats);
  printed_ = asked_format_.value_or(kComparisonFormats.front());
  written_ = output_.empty() ? "" : format_of_file(output_, kComparisonEndings);
  gates_.clear();
  for (const std::string& condition : conditions_) gates_.push_back(gate_of(condition));
  if (gates_.empty() && (printed_ == "junit" || written_ == "junit")) {
    throw Error(ErrorKind::kBadInput, "format junit needs --fail-if: its test cases are the conditions");
  }
  if (!output_.empty()) check_output_place("output", output_);
}

void ComparisonOutput::show(const RunComparison& comparison) const {
  if (!output_.empty()) write_file_atomically(output_, comparison_text(comparison, written_, {}));
  write_standard_output(comparison_text(comparison, printed_, terminal_at(stdout)));
}

void check_is_alike(const RunComparison& comparison) {
  if (comparison.crossed.empty()) return;
  throw Error(ErrorKind::kBadInput,
              fmt::format("'{}' and '{}' are not alike: {}; compare --across shows both all the same",
                          comparison.before.name, comparison.after.name, fmt::join(comparison.crossed, ", ")));
}

int exit_code_of(const RunComparison& comparison) {
  switch (comparison.gate_answer()) {
    case GateAnswer::kFail:
      return kExitFault;
    case GateAnswer::kUndecided:
      return kExitUndecided;
    case GateAnswer::kPass:
      break;
  }
  return kExitOk;
}

int worst_exit_code(int of_run, const RunComparison& comparison) {
  return of_run != kExitOk ? of_run : exit_code_of(comparison);
}

}  // namespace transformeter
