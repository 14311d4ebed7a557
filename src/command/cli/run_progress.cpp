// Each event updates the status line.
#include "cli/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/case_label.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/terminal.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

const char* colour_of(Status status) {
  if (status == Status::kOk) return "\x1b[32m";
  return is_answer(status) ? "\x1b[33m" : "\x1b[31m";
}

std::string status_text(Status status, bool with_colour) {
  const std::string name(name_of(status));
  return with_colour ? fmt::format("{}{}\x1b[0m", colour_of(status), name) : name;
}

}  // namespace

std::string measuring_time_text(const MeasuringTime& longest) {
  return fmt::format("at most about {} of measuring{}", clock_text(Seconds(std::ceil(longest.most.count()))),
                     longest.is_hard ? "" : ", more for slow cases");
}

std::string estimate_text(const ProgressSamples& samples) {
  if (!samples.latency_s) return "";
  std::string text = (samples.is_of_cycle ? "median batch " : "median ") + format_duration(*samples.latency_s);
  if (samples.half_width) text.append(" ").append(format_half_width(*samples.half_width));
  return text;
}

std::string bar_text(std::size_t done, std::size_t total) {
  constexpr std::size_t kWidth = 12;
  const std::size_t filled = total == 0 ? 0 : std::min(kWidth, kWidth * done / total);
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(kWidth - filled, '.'));
}

std::string clock_text(Seconds time) {
  const auto seconds = static_cast<long long>(time.count());
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string place_text(const ProgressPoint& point) {
  return fmt::format("{} {}/{}", point.counts_slices ? "slice" : "replicate", point.done + 1, point.total);
}

std::string done_text(const ProgressPoint& point) {
  return fmt::format("{}/{}", std::min(point.done, point.total),
                     counted(point.total, point.counts_slices ? "slice" : "replicate"));
}

RunProgress::RunProgress(const Clock& clock, std::FILE* stream) : clock_(clock), line_(stream), started_(clock.now()) {}

std::string RunProgress::time_text() const {
  const Seconds elapsed = clock_.now() - started_;
  std::string text = clock_text(elapsed);
  if (point_.budget_left) {
    text += fmt::format(", {} of the time budget left", clock_text(*point_.budget_left));
  } else if (point_.done > 0 && point_.total > point_.done) {
    const double each = elapsed.count() / static_cast<double>(point_.done);
    text += fmt::format(", about {} left", clock_text(Seconds(each * static_cast<double>(point_.total - point_.done))));
  }
  return text;
}

// Each line is of one replicate, so that the first of several is named too.
std::string RunProgress::label_of(const CaseRecord& the_case, int replicate) const {
  std::string label = one_line(long_label(the_case, axes_));
  if (replicates_ > 1 || replicate > 0) label += fmt::format(" replicate {}", replicate);
  return label;
}

void RunProgress::draw() {
  // A narrow terminal cuts the end off: the time left is what people look for.
  std::string line =
      fmt::format("{} {}  {}  {}", bar_text(point_.done, point_.total), place_text(point_), time_text(), label_);
  if (samples_.count > 0) line += fmt::format("  n={}  {}", samples_.count, estimate_text(samples_));
  line_.draw(line);
}

void RunProgress::run_started(const RunRecord& run, const std::optional<MeasuringTime>& longest) {
  axes_ = varying_settings(run.cases);
  replicates_ = run.replicates_planned;
  std::string line = fmt::format("run {}: {}", run.id, counted(run.cases.size(), "case"));
  if (replicates_ > 1) line += fmt::format(", {} replicates each", replicates_);
  if (longest && longest->most >= Seconds(1)) line.append(", ").append(measuring_time_text(*longest));
  line_.print(line);
}

void RunProgress::reference_started(const CaseRecord& the_case, const ProgressPoint& point) {
  point_ = point;
  samples_ = {};
  label_ = "reference for " + one_line(long_label(the_case, axes_));
  draw();
}

void RunProgress::case_started(const CaseRecord& the_case, const ProgressPoint& point) {
  point_ = point;
  samples_ = {};
  label_ = label_of(the_case, point.replicate);
  draw();
}

void RunProgress::samples_taken(const ProgressSamples& samples) {
  samples_ = samples;
  draw();
}

void RunProgress::case_done(const CaseRecord& the_case, const ProgressPoint& point) {
  point_ = point;
  const bool has_colour = terminal_at(line_.stream()).has_colour;
  const ReplicateRecord& replicate = the_case.replicates.back();
  std::string line = fmt::format("[{}] {}  {}", done_text(point), label_of(the_case, replicate.index),
                                 status_text(replicate.status, has_colour));
  if (replicate.status == Status::kOk) {
    line += fmt::format("  n={}  {}", samples_.count, estimate_text(samples_));
  } else {
    line += fmt::format(": {}", one_line(replicate.status_reason));
  }
  line_.print(line);
  samples_ = {};
}

void RunProgress::run_done(const RunOutcome&) {
  line_.clear();
}

}  // namespace transformeter
