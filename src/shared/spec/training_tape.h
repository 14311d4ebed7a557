// What automatic differentiation remembers of a forward pass, operation by operation, and what its backward pass then
// needs at once.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace transformeter {

/// One operation. Bytes each.
struct TapeEntry {
  double kept = 0;       // for its backward pass, and by no entry before it
  double in_flight = 0;  // gradients and scratch while its backward pass runs, those of its weights not counted
  std::vector<std::pair<std::string, double>> weights = {};  // of which it computes gradients
  std::vector<TapeEntry> again = {};  // operations that are run a second time first; `kept` is what they start from
  double computed = 0;                // scratch beside what is kept, while its forward pass runs
};

using Tape = std::vector<TapeEntry>;

/// What is alive after the forward pass and was not before.
double kept_bytes(const Tape& tape);

/// Takes forward and backward passes, one after another, and notes the most that is alive. As PyTorch's engine does, it
/// adds up the gradients of a weight that a pass uses several times before it adds them to those of earlier passes.
class BackwardReplay {
 public:
  /// `live`: bytes before the first forward pass; gradients are not there yet.
  explicit BackwardReplay(double live) : live_(live), peak_(live) {}

  void run(const Tape& tape);
  /// `scratch` bytes beside all that is alive now.
  void look_at(double scratch);
  double peak() const { return peak_; }

 private:
  // Of a weight in one pass.
  struct Uses {
    int left = 0;
    bool begun = false;
  };

  void run_back(const TapeEntry& entry, std::map<std::string, Uses>& uses);

  double live_, peak_;
  std::set<std::string> with_gradient_;
};

}  // namespace transformeter
