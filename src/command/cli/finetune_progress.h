// Progress of a fine-tuning on stderr: a status line on a terminal, scores and checkpoints as lines of their own.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/status_line.h"

namespace transformeter {

class FinetuneProgress {
 public:
  FinetuneProgress(const Clock& clock, std::FILE* stream);

  /// Of session/fine_tuning.h.
  void tell(const Json& event);
  /// Prints examples and tokens per second, if there were any.
  void end();

 private:
  void step(const Json& event);
  void draw_step(const Json& event);

  const Clock& clock_;
  StatusLine line_;
  Clock::TimePoint started_;
  Clock::TimePoint drawn_at_;
  std::int64_t steps_ = 0;
  std::int64_t first_step_ = 0;  // that it went on from
  Clock::TimePoint told_at_;     // the last event but signs of life
  Seconds learning_{0};          // evaluations and checkpoints left out
  double examples_ = 0, useful_tokens_ = 0;
};

/// "accuracy 0.912 (0.892 to 0.929), macro_f1 0.91, loss 0.241" of an evaluation.
std::string scores_text(const Json& evaluation);

/// What a summary says, in lines.
std::string finetune_summary_text(const Json& summary);

}  // namespace transformeter
