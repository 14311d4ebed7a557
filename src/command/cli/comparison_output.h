// A comparison as commands print and write it, and the conditions under which it fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/run_comparison.h"
#include "cli/declaration.h"
#include "cli/terminal.h"

namespace transformeter {

/// What --fail-if, --format and -o of a command that compares say.
class ComparisonOutput {
 public:
  /// Their options; they point into this object.
  OptionDeclaration fail_if_option();
  OptionDeclaration output_option();
  OptionDeclaration format_option();

  /// Before what takes long. Throws Error(kBadInput) for a condition that cannot be read, of which standard error gets
  /// the place marked, for formats that are none, or that need a condition, and for a file that cannot be written.
  void check();

  /// After check().
  const std::vector<Gate>& gates() const { return gates_; }
  const std::string& file() const { return output_; }
  /// Prints the comparison, and writes the file if there is one.
  void show(const RunComparison& comparison) const;

 private:
  std::vector<std::string> conditions_;
  std::string output_;
  std::optional<std::string> asked_format_;
  std::vector<Gate> gates_;
  std::string printed_;
  std::string written_;
};

/// Throws Error(kBadInput) where the sides answer different questions, and names what differs.
void check_is_alike(const RunComparison& comparison);

/// kExitOk, kExitFault or kExitUndecided, by the conditions.
int exit_code_of(const RunComparison& comparison);

/// That of the run which the comparison measured, where that has a fault, whatever the conditions say.
int worst_exit_code(int of_run, const RunComparison& comparison);

}  // namespace transformeter
