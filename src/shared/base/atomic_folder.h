// A folder that appears whole or not at all, as AtomicFile is for a file.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace transformeter {

/// Filled under a hidden name beside `target` (".NAME.partial-PID") until commit gives it its name; without a commit it
/// goes with the object. Files in it must be brought to the disk by their writers, as AtomicFile does. One program
/// writes a target at a time: what another that was killed left behind is removed.
class AtomicFolder {
 public:
  /// Makes the folders above. Throws Error(kEnvironment) naming the path, also where `target` is no folder.
  explicit AtomicFolder(std::filesystem::path target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where files are written until commit.
  const std::filesystem::path& path() const { return partial_; }
  /// Takes the place of an older folder of that name, which is removed. Throws Error(kEnvironment).
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path partial_;
};

/// Gives the folder `fresh` the name `target`, whose old folder, if there is one, is removed. `exchange` swaps two
/// names at once and says whether it did; where a file system cannot, there is a moment in which only ".NAME.replaced"
/// is there, which settle_folders brings back after a kill. Throws Error(kEnvironment).
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& target,
                    const std::function<bool(const std::filesystem::path&, const std::filesystem::path&)>& exchange);
/// By renameat2; false where kernel or file system do not know it.
bool exchange_names(const std::filesystem::path& one, const std::filesystem::path& other);

/// What lies in `folder`; nothing where there is no such folder. Throws Error(kEnvironment) where it cannot be listed.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Removes a folder such that a kill leaves it whole or hidden. Throws Error(kEnvironment).
void remove_folder(const std::filesystem::path& folder);

/// After a kill: removes what AtomicFolder and remove_folder left in `parent` of the names that `concerns` takes, and
/// brings back what was to be replaced and has no successor. Throws Error(kEnvironment), also where `parent` cannot be
/// listed; one that is not there holds nothing.
void settle_folders(const std::filesystem::path& parent, const std::function<bool(std::string_view name)>& concerns);

}  // namespace transformeter
