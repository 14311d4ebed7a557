// Checked by the folder that a file is to lie in: the file itself may not be there yet.
#include "cli/profile_files.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/output.h"
#include "cli/output_path.h"
#include "plots/memory_picture.h"
#include "plots/picture_file.h"
#include "report/flame_graph.h"
#include "report/profile_stacks.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

fs::path named(const fs::path& path, const std::string& id) {
  if (path.empty()) return path;
  return path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), id, path.extension().string());
}

void write(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace

ProfileFiles ProfileFiles::of_case(const std::string& id) const {
  return {{}, named(trace, id), named(stacks, id), named(flame_graph, id), named(memory_plot, id)};
}

void check_profile_files(const ProfileFiles& files, const fs::path& store) {
  if (!files.memory_plot.empty()) {
    format_of_plot("memory-plot", files.memory_plot);
    required_program(kGnuplot, {}, "leave out --memory-plot");
  }
  if (!files.flame_graph.empty() && files.flame_graph.extension() != ".svg") {
    throw bad_value("flame-graph", files.flame_graph.string(), "a file name that ends in .svg");
  }
  const std::vector<std::pair<std::string_view, const fs::path*>> all{{"output", &files.tables},
                                                                      {"trace", &files.trace},
                                                                      {"stacks", &files.stacks},
                                                                      {"flame-graph", &files.flame_graph},
                                                                      {"memory-plot", &files.memory_plot}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [option, path] = all[i];
    if (path->empty()) continue;
    check_output_place(option, *path);
    check_is_not_store(*path, store);
    for (std::size_t j = 0; j < i; ++j) {
      if (all[j].second->empty()) continue;
      if (fs::weakly_canonical(fs::absolute(*path)) != fs::weakly_canonical(fs::absolute(*all[j].second))) continue;
      throw Error(ErrorKind::kBadInput,
                  fmt::format("--{} and --{} name the same file '{}'", all[j].first, option, path->string()));
    }
  }
}

void write_profile_files(const ProfileFiles& files, const Profile& profile, const std::string& title,
                         const ToolOptions& drawing) {
  if (!files.stacks.empty()) write(files.stacks, collapsed_stacks(profile));
  if (!files.flame_graph.empty()) write(files.flame_graph, flame_graph(profile, title));
  if (files.memory_plot.empty() || !profile.memory) return;
  write(files.memory_plot,
        picture_file(memory_picture(profile, title), format_of_plot("memory-plot", files.memory_plot), drawing));
}

}  // namespace transformeter
