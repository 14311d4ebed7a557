// Choices of kernels as the worker keeps and reports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/json.h"
#include "engine/linear_factories.h"
#include "machine/kept_products.h"

namespace transformeter {

/// Of this machine and these libraries.
KeptProducts kept_products(const Context& context);

/// Which of a cycle's batches kernels are tried on, by the tokens of each: where they differ, one in the middle, so
/// that the order of texts does not decide.
std::size_t tried_batch(const std::vector<std::int64_t>& tokens);

/// Products whose kernels were chosen.
struct ChosenProducts {
  std::vector<SettledProduct> products;
  std::optional<std::string> not_kept;  // why the next process has to try again
};

/// Keeps those that were tried now, or says in `log` why it cannot. A trial that the user asked for takes the place of
/// the one before.
ChosenProducts keep_tried(KeptProducts& kept, std::vector<SettledProduct> products, const Log& log);

/// Adds `linear_trials` and `trials_not_kept` of docs/results.md, where there are any.
void add_trials(const ChosenProducts& chosen, Json& effective);

}  // namespace transformeter
