// Sets of CPU numbers in the kernel's notation ("0-3,8"), and those this process may run on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// "0-3,8" to {0, 1, 2, 3, 8}; an empty text is an empty set; nothing for any other form.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);
/// The reverse, for sorted numbers.
std::string format_cpu_list(const std::vector<int>& cpus);

/// The calling thread's affinity mask, sorted. Nothing when the kernel does not say.
std::optional<std::vector<int>> allowed_cpus();

}  // namespace transformeter
