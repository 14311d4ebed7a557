// Scores are fp32, as in the original, so that near ties fall alike.
#include "engine/beams.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace transformeter {
namespace {

// What a place without a finished text counts as: any real score is better, that of an excluded token is not.
constexpr float kNoScore = -1e9F;

float penalty_of(std::int64_t tokens, double length_penalty) {
  return static_cast<float>(std::pow(static_cast<double>(tokens), length_penalty));
}

}  // namespace

Beams::Beams(BeamOptions options) : options_(std::move(options)) {}

void Beams::advance(std::span<const BeamCandidate> candidates) {
  ++length_;
  const auto places = static_cast<std::size_t>(options_.settings.num_beams);
  const bool is_last = length_ >= options_.max_new_tokens;
  std::vector<Beam> next;
  for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
    const BeamCandidate& candidate = candidates[rank];
    if (!is_last && !is_end(candidate.token)) {
      if (next.size() < places) next.push_back(extended(candidate));
    } else if (rank < places && !is_done_ && (is_last || candidate.score > kNoScore)) {
      finish(extended(candidate));
    }
  }
  running_ = std::move(next);
  is_done_ =
      is_done_ || is_last || (is_full() && options_.settings.early_stopping == EarlyStopping::kOn) || !may_improve();
}

bool Beams::is_end(std::int64_t token) const {
  return std::find(options_.ends.begin(), options_.ends.end(), token) != options_.ends.end();
}

bool Beams::is_full() const {
  return static_cast<std::int64_t>(finished_.size()) == options_.settings.num_beams;
}

// The best score that the best running beam might end with, against the worst that it would replace.
bool Beams::may_improve() const {
  const BeamSettings& settings = options_.settings;
  const bool grows = settings.early_stopping == EarlyStopping::kNever && settings.length_penalty > 0;
  const std::int64_t tokens = grows ? options_.max_new_tokens : length_;
  const float possible = running_.front().score / penalty_of(tokens, settings.length_penalty);
  return possible > (is_full() ? finished_.back().score : kNoScore);
}

Beam Beams::extended(const BeamCandidate& candidate) const {
  Beam beam{running_[static_cast<std::size_t>(candidate.beam)].text, candidate.score, candidate.beam};
  beam.text.push_back(candidate.token);
  return beam;
}

void Beams::finish(Beam text) {
  text.score /= penalty_of(length_, options_.settings.length_penalty);
  const auto place = std::upper_bound(finished_.begin(), finished_.end(), text.score,
                                      [](float score, const Beam& other) { return score > other.score; });
  finished_.insert(place, std::move(text));
  if (static_cast<std::int64_t>(finished_.size()) > options_.settings.num_beams) finished_.pop_back();
}

}  // namespace transformeter
