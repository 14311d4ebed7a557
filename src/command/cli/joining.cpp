// All words here form the plural with s.
#include "cli/joining.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/stored_runs.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/interrupt.h"

namespace transformeter {

RunSource stoppable(RunSource source, const std::atomic<bool>& interrupt) {
  return [source = std::move(source), &interrupt](const RunVisitor& visitor) {
    RunVisitor checking = visitor;
    checking.on_case = [&](CaseRecord&& one) {
      check_interrupt(interrupt);
      visitor.on_case(std::move(one));
    };
    source(checking);
  };
}

std::string join_text(const JoinOutcome& outcome, std::string_view store) {
  std::string text =
      fmt::format("added {}, {} and {} to {}", counted(outcome.runs_added, "run"), counted(outcome.cases_added, "case"),
                  counted(outcome.replicates_added, "replicate"), store);
  if (outcome.replicates_known > 0) {
    text += fmt::format("; {} already there", counted(outcome.replicates_known, "replicate"));
  }
  text += "\n";
  for (const std::string& difference : outcome.kept_differences) {
    text += fmt::format("kept the stored one: {}\n", difference);
  }
  return text;
}

void keep_summaries_or_warn(Store& store, const Log& log) {
  try {
    keep_missing_summaries(store);
  } catch (const Error& error) {
    log(LogLevel::kWarning, fmt::format("everything was imported, but summaries could not be stored and will be "
                                        "computed on reading: {}",
                                        error.what()));
  }
}

}  // namespace transformeter
