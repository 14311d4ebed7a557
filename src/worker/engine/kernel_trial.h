// Which of several ways to compute one thing is fastest here, by trying them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "machine/run_queue.h"
#include "schema/product_choice.h"

namespace transformeter {

struct KernelCandidate {
  std::string_view name;
  /// Prepares the kernel; what it returns computes the output once, of the same inputs for all candidates.
  std::function<std::function<at::Tensor()>()> prepare;
};

/// What is read before and after each call.
struct TrialMeters {
  const Clock& clock;
  std::function<ThreadWaits()> thread_waits;
};

/// Those of this machine.
TrialMeters system_meters();

struct KernelChoice {
  std::size_t index = 0;
  std::vector<KernelTrial> trials;  // one for each candidate
  /// Whether each kernel took its shortest time, to 10 %, in at least two calls of which no thread waited for a
  /// processor, if need be among twice as many calls, and none failed. Of a kernel whose calls take long, and four
  /// times as long as the fastest one's, two are enough, whatever their times, if the second did not wait.
  bool is_steady = true;
};

/// Calls all candidates in turns, and chooses the fastest of those whose outputs are the first one's to `tolerance`, a
/// root mean square over some of the rows, relative to the first one's. `usual` wins where it is less than 3 % slower,
/// so that noise does not decide between equals. Throws what the first candidate throws.
KernelChoice choose_kernel(const std::vector<KernelCandidate>& candidates, std::size_t usual, double tolerance,
                           const TrialMeters& meters);

/// What products of `size` run on, by choose_kernel to a tolerance that sums in another order stay well within.
ProductChoice try_product(ProductSize size, const std::vector<KernelCandidate>& candidates, std::size_t usual,
                          const TrialMeters& meters);

/// [rows, columns], from -1 to 1.
at::Tensor trial_operand(std::int64_t rows, std::int64_t columns, c10::ScalarType type);

}  // namespace transformeter
