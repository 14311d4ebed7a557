// A file wins over a bundled plan of the same name.
#include "run/find_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {

namespace fs = std::filesystem;

std::vector<std::string> bundled_plans(const fs::path& data_directory) {
  std::vector<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(data_directory / "plans", code)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_plan(const fs::path& data_directory, const std::string& plan) {
  std::error_code code;
  const bool is_folder = fs::is_directory(plan, code);  // such as a pipeline's, which has its name
  if ((fs::exists(plan, code) && !is_folder) || plan.find_first_of("./") != std::string::npos) return plan;
  const std::vector<std::string> names = bundled_plans(data_directory);
  if (std::find(names.begin(), names.end(), plan) != names.end()) return data_directory / "plans" / (plan + ".yaml");
  if (is_folder) return plan;
  const auto near = nearest(plan, names);
  throw Error(ErrorKind::kBadInput,
              fmt::format("plan '{}' is neither a file nor a bundled plan; bundled plans: {}.{}", plan,
                          fmt::join(names, ", "), near ? fmt::format(" Did you mean '{}'?", *near) : ""));
}

}  // namespace transformeter
