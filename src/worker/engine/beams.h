// Beam search without the model: which of a pass's continuations go on, which are finished, and when the search ends.
// Result for result as `generate(num_beams=N, do_sample=False)` of Transformers 5.23.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schema/beam_settings.h"

namespace transformeter {

struct BeamOptions {
  BeamSettings settings;
  std::int64_t max_new_tokens = 20;  // at least 1
  std::vector<std::int64_t> ends;    // a text ends with the first of them
};

/// A beam's text with one more token.
struct BeamCandidate {
  std::int64_t beam = 0;  // of those that went on before
  std::int64_t token = 0;
  float score = 0;  // Σ log probabilities of the new tokens
};

struct Beam {
  std::vector<std::int64_t> text;  // new tokens
  float score = 0;                 // Σ of their log probabilities; of a finished text ÷ tokens^length_penalty
  std::int64_t source = 0;         // the beam that it goes on from
};

/// The beams of one input.
class Beams {
 public:
  explicit Beams(BeamOptions options);

  /// After a pass: its best candidates, best first, as many as candidates_of_beams() says. Of those that are alike the
  /// earlier one is taken.
  void advance(std::span<const BeamCandidate> candidates);

  /// Best first: before the first pass one without text, then num_beams; none once all texts are as long as they may
  /// be.
  const std::vector<Beam>& running() const { return running_; }
  /// Best first, at most num_beams.
  const std::vector<Beam>& finished() const { return finished_; }
  /// Nothing can change finished() any more.
  bool is_done() const { return is_done_; }
  /// The best text: of the finished ones, unless there are none yet.
  const Beam& best() const { return finished_.empty() ? running_.front() : finished_.front(); }

 private:
  bool is_end(std::int64_t token) const;
  bool is_full() const;
  bool may_improve() const;
  Beam extended(const BeamCandidate& candidate) const;
  void finish(Beam text);

  BeamOptions options_;
  std::vector<Beam> running_{Beam()};
  std::vector<Beam> finished_;
  std::int64_t length_ = 0;  // new tokens of each running beam
  bool is_done_ = false;
};

}  // namespace transformeter
