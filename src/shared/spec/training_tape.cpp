// From the last operation to the first.
#include "spec/training_tape.h"

#include <algorithm>
#include <utility>

namespace transformeter {

double kept_bytes(const Tape& tape) {
  double sum = 0;
  for (const TapeEntry& entry : tape) sum += entry.kept;
  return sum;
}

void BackwardReplay::run(const Tape& tape) {
  std::map<std::string, Uses> uses;
  for (const TapeEntry& entry : tape) {
    live_ += entry.kept;
    look_at(entry.computed);
    for (const auto& weight : entry.weights) ++uses[weight.first].left;
  }
  for (auto entry = tape.rbegin(); entry != tape.rend(); ++entry) run_back(*entry, uses);
  for (const auto& use : uses) with_gradient_.insert(use.first);
}

void BackwardReplay::look_at(double scratch) {
  peak_ = std::max(peak_, live_ + scratch);
}

void BackwardReplay::run_back(const TapeEntry& entry, std::map<std::string, Uses>& uses) {
  run(entry.again);
  double in_flight = entry.in_flight, added = 0;
  for (const auto& [name, bytes] : entry.weights) {
    Uses& use = uses[name];
    const bool is_first = !std::exchange(use.begun, true);
    const bool is_last = --use.left == 0;
    const bool is_new = with_gradient_.count(name) == 0;
    if (is_first) live_ += bytes;
    if (!is_first) in_flight += 2 * bytes;  // the new one, and the sum
    if (is_last && !is_new) added += bytes;
  }
  look_at(in_flight);
  live_ -= entry.kept + added;
}

}  // namespace transformeter
