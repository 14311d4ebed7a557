// A run as it goes, on stderr: a line drawn over on a terminal, plain lines elsewhere.
#pragma once

#include <cstdio>
#include <string>

#include "base/clock.h"
#include "cli/status_line.h"
#include "run/progress.h"

namespace transformeter {

class RunProgress final : public Progress {
 public:
  RunProgress(const Clock& clock, std::FILE* stream);

  void run_started(const RunRecord& run, const std::optional<MeasuringTime>& longest) override;
  void reference_started(const CaseRecord& the_case, const ProgressPoint& point) override;
  void case_started(const CaseRecord& the_case, const ProgressPoint& point) override;
  void samples_taken(const ProgressSamples& samples) override;
  void case_done(const CaseRecord& the_case, const ProgressPoint& point) override;
  void run_done(const RunOutcome& outcome) override;

 private:
  void draw();
  std::string time_text() const;
  std::string label_of(const CaseRecord& the_case, int replicate) const;

  const Clock& clock_;
  StatusLine line_;
  Clock::TimePoint started_;
  ProgressPoint point_;
  ProgressSamples samples_;
  std::vector<std::string> axes_;  // settings that vary
  int replicates_ = 1;             // planned of each case
  std::string label_;
};

/// "at most about 2:30 of measuring", with ", more for slow cases" where the time is not hard.
std::string measuring_time_text(const MeasuringTime& longest);
/// "median 12.3 ms ± 1.9 %", or without the half-width, or "" before there is an estimate. "median batch 6.7 ms" where
/// batches of a cycle differ: the table will show the time of a cycle.
std::string estimate_text(const ProgressSamples& samples);
/// "slice 9/48": the one that is measured; "replicate 2/6" in a run without slices.
std::string place_text(const ProgressPoint& point);
/// "8/48 slices", "1/6 replicates": what is done.
std::string done_text(const ProgressPoint& point);
/// "[####........]" for a third done.
std::string bar_text(std::size_t done, std::size_t total);
/// "0:07", "12:34", "1:02:03".
std::string clock_text(Seconds time);

}  // namespace transformeter
