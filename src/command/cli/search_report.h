// What a user sees of the searches of engine `auto`, on stderr.
#pragma once

#include <cstdio>
#include <string>

#include "cli/status_line.h"
#include "run/progress.h"
#include "tuning/choose_engines.h"

namespace transformeter {

/// A line drawn over on a terminal while trials run, and one line that stays for each search.
class SearchReport final : public Progress {
 public:
  explicit SearchReport(std::FILE* stream) : line_(stream) {}

  SearchEvents events();

  void run_started(const RunRecord& run, const std::optional<MeasuringTime>& longest) override;
  void reference_started(const CaseRecord& the_case, const ProgressPoint& point) override;
  void case_started(const CaseRecord& the_case, const ProgressPoint& point) override;
  void samples_taken(const ProgressSamples& samples) override;
  void case_done(const CaseRecord& the_case, const ProgressPoint& point) override;
  void run_done(const RunOutcome& outcome) override;

 private:
  void draw(const CaseRecord& trial, const ProgressPoint& point);

  StatusLine line_;
  std::string search_;  // "c01, 1 of 2"
  Json start_;
};

}  // namespace transformeter
