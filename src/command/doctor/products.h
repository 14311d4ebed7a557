// Which kernel multiplies matrices fastest on this machine.
#pragma once

#include <string>
#include <vector>

#include "doctor/check.h"
#include "machine/kept_products.h"
#include "schema/peak.h"

namespace transformeter {

/// What workers found while they loaded models: how often each kernel was fastest, and how far it was behind. ok in any
/// case.
Check check_products(const std::vector<ProductChoice>& kept);

/// Those of the runtime that tried last.
std::vector<ProductChoice> latest_products(const ProductsByRuntime& kept);

/// By a peak of matrix products in fp32, with every kernel and size tried.
Check judge_products(const Peak& peak, int threads);

}  // namespace transformeter
