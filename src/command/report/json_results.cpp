// Keys are sorted, so a run's `cases` come before its other fields.
#include "report/json_results.h"

#include <string>
#include <utility>

#include "analysis/baseline_table.h"
#include "report/json_text.h"
#include "schema/missing_replicates.h"

namespace transformeter {
namespace {

constexpr std::size_t kCaseDepth = 4;

}  // namespace

JsonResults::JsonResults(Sink sink, ResultOptions options) : sink_(std::move(sink)), options_(std::move(options)) {
  sink_("{\n  \"runs\": [");
}

void JsonResults::begin_run(const RunRecord& run) {
  end_run();
  sink_(has_runs_ ? ",\n    {\n      \"cases\": [" : "\n    {\n      \"cases\": [");
  run_ = run_fields_json(run);
  replicates_planned_ = run.replicates_planned;
  pending_replicate_count_ = 0;
  gathered_.reset();
  if (options_.baseline || planned_baseline(run)) gathered_.emplace(run);
  has_runs_ = true;
  has_cases_ = false;
}

void JsonResults::add_case(const CaseRecord& the_case) {
  std::string text = has_cases_ ? ",\n" : "\n";
  text.append(2 * kCaseDepth, ' ');
  append_json_text(text, case_json(the_case, options_), kCaseDepth);
  sink_(text);
  has_cases_ = true;
  pending_replicate_count_ += missing_replicates(the_case, replicates_planned_);
  if (gathered_) gathered_->add(the_case);
}

void JsonResults::end_run() {
  if (run_.is_null()) return;
  run_["pending_replicate_count"] = pending_replicate_count_;
  run_["comparison"] = gathered_ ? run_comparison_json(gathered_->record(), options_) : Json(nullptr);
  std::string text = has_cases_ ? "\n      ]" : "]";
  for (const auto& [name, value] : run_.items()) {
    text.append(",\n      ").append(json_line(name)).pop_back();
    text.append(": ");
    append_json_text(text, value, kCaseDepth - 1);
  }
  sink_(text.append("\n    }"));
  run_ = nullptr;
}

void JsonResults::finish() {
  end_run();
  sink_(has_runs_ ? "\n  ],\n" : "],\n");
  sink_("  \"schema_version\": " + std::to_string(kResultSchemaVersion) + "\n}\n");
}

}  // namespace transformeter
