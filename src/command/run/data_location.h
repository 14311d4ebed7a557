// Where the files of a data set that a user named are: here, or in the cache of the hub.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/data_layout.h"
#include "hub/hub_cache.h"

namespace transformeter {

/// A data set of the hub: "org/name", a folder or file of it as "org/name/PATH", each also with "@REVISION".
struct DataReference {
  Repository repository;
  std::string path;  // empty: the whole repository
  std::string revision = "main";

  /// "org/name/PATH".
  std::string name() const;
  /// "org/name/PATH@COMMIT", which says for ever which files are meant.
  std::string pinned(const std::string& commit) const { return name() + "@" + commit; }
};

/// Nothing for what has not that form ("datasets/" may stand in front), for what exists as a file or folder, and for
/// what looks like a path of this machine: its first folder is here, or "org/name" ends as a data file does.
std::optional<DataReference> parse_data_reference(std::string_view text);

/// Those of a repository's paths that are the data set's split; an empty split is the only one. A file that is named
/// itself is the data set, whatever the split. Throws what choose_data_files throws, and Error(kBadInput) for a folder
/// or file that is not there.
DataParts choose_parts(const DataReference& reference, const std::vector<std::string>& paths, const std::string& split);

struct DataLocation {
  std::string path;    // what readers open
  std::string split;   // of it
  std::string commit;  // of a data set of the hub
};

/// What the cache has of it, where that is all of the split. `trusts_snapshot`: what another program fetched is taken
/// for the whole repository. Throws what choose_parts throws.
std::optional<DataLocation> cached_data(const HubCache& cache, const DataReference& reference, const std::string& split,
                                        bool trusts_snapshot);

/// Other names than those of the hub stay as they are. Throws Error(kBadInput) for a data set of the hub that is not in
/// the cache, saying how to get it.
DataLocation locate_data(const std::string& data, const std::string& split);

}  // namespace transformeter
