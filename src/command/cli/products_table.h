// The list of `doctor --products`: which kernel multiplies each size of matrices fastest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/product_choice.h"

namespace transformeter {

/// The usual width of the lines, in columns.
inline constexpr std::size_t kProductsWidth = 100;

/// A table for each format, number of threads and day, in the order in which they come: what is multiplied, the kernel
/// that was chosen and its time, and how many times slower the others were. A product with several uses has a line for
/// each. Lines have at most `width` columns, or what names and figures take. Without products a line that says how to
/// get them.
std::string products_table(const std::vector<ProductChoice>& products, std::size_t width = kProductsWidth);

}  // namespace transformeter
