// Choices of kernels as the worker keeps and reports them.
#pragma once

#include <vector>

#include "base/context.h"
#include "base/json.h"
#include "engine/linear_factories.h"
#include "machine/kept_products.h"

namespace transformeter {

/// Of this machine and these libraries.
KeptProducts kept_products(const Context& context);

/// Keeps those that were tried now. A trial that the user asked for takes the place of the one before.
void keep_tried(KeptProducts& kept, const std::vector<SettledProduct>& products, const Log& log);

/// `linear_trials` of docs/results.md: those that had a choice.
Json trials_json(const std::vector<SettledProduct>& products);

}  // namespace transformeter
