// Ask what goes where, send what is missing, commit.
#include "hub/push.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>

#include "base/base64.h"
#include "base/error.h"
#include "base/files.h"
#include "hub/download.h"
#include "hub/lfs_upload.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesAtOnce = 100;
constexpr std::uint64_t kLargestInCommit = 64 << 20;  // it is held in memory
constexpr std::size_t kSampleBytes = 512;             // by which the hub tells text from binary files

bool is_hidden(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) {
    const std::string name = part.string();
    return name.starts_with('.') && name != ".gitattributes";
  });
}

std::string sample_of(const fs::path& file) {
  std::string sample(kSampleBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(sample.data(), static_cast<std::streamsize>(sample.size()));
  sample.resize(static_cast<std::size_t>(stream.gcount()));
  return sample;
}

class Push {
 public:
  Push(HubApi& api, const PushOptions& options, const OnFetchProgress& on_progress)
      : api_(api), options_(options), repository_(options.repository), on_progress_(on_progress) {}

  PushResult run() {
    result_.files = files_to_push(options_.folder);
    if (options_.creates) {
      api_.create_repository(repository_, options_.is_private);
    } else {
      check_repository();
    }
    ask_for_modes();
    send_large_files();
    result_.commit = api_.commit(repository_, options_.revision, commit_lines());
    return std::move(result_);
  }

 private:
  fs::path place(const PushedFile& file) const { return options_.folder / file.path; }

  void check_repository() {
    try {
      api_.commit_of(repository_, options_.revision);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      throw Error(error.kind(), fmt::format("{} Use --create to create the repository.", error.what()));
    }
  }

  void ask_for_modes() {
    std::map<std::string, PreuploadFile> modes;
    for (std::size_t begin = 0; begin < result_.files.size(); begin += kFilesAtOnce) {
      Json files = Json::array();
      for (std::size_t i = begin; i < std::min(result_.files.size(), begin + kFilesAtOnce); ++i) {
        const PushedFile& file = result_.files[i];
        files.push_back({{"path", file.path}, {"size", file.size}, {"sample", base64(sample_of(place(file)))}});
      }
      for (PreuploadFile& mode : api_.preupload(repository_, options_.revision, files)) {
        modes[mode.path] = std::move(mode);
      }
    }
    for (PushedFile& file : result_.files) {
      const auto mode = modes.find(file.path);
      if (mode == modes.end()) {
        throw Error(ErrorKind::kBadInput, fmt::format("the hub did not say where to upload '{}'", file.path));
      }
      if (mode->second.is_ignored) file.state = PushState::kIgnored;
      if (file.state == PushState::kIgnored) continue;
      if (mode->second.is_lfs && file.size > 0) large_.push_back(&file);  // storage takes no empty files
      if (!mode->second.is_lfs && file.size > kLargestInCommit) {
        throw Error(ErrorKind::kBadInput, fmt::format("the hub expects '{}' ({} bytes) in the commit, which takes at "
                                                      "most {} bytes; declare it as a large file in .gitattributes",
                                                      file.path, file.size, kLargestInCommit));
      }
    }
  }

  void send_large_files() {
    for (const PushedFile* file : large_) {
      hashes_[file->path] = content_hash(kSha256Digits, place(*file), api_.http().settings().interrupt);
      progress_.total_bytes += file->size;
    }
    progress_.count = large_.size();
    for (std::size_t begin = 0; begin < large_.size(); begin += kFilesAtOnce) {
      const auto first = large_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = large_.begin() + static_cast<std::ptrdiff_t>(std::min(large_.size(), begin + kFilesAtOnce));
      send({first, last});
    }
  }

  void send(const std::vector<PushedFile*>& files) {
    Json wanted = Json::array();
    for (const PushedFile* file : files) wanted.push_back({{"oid", hashes_[file->path]}, {"size", file->size}});
    std::map<std::string, LfsObject> objects;
    for (LfsObject& object : api_.lfs_batch(repository_, options_.revision, wanted)) {
      objects[object.hash] = std::move(object);
    }
    for (PushedFile* file : files) {
      const auto object = objects.find(hashes_[file->path]);
      if (object == objects.end() || !object->second.error.empty()) {
        throw Error(ErrorKind::kBadInput,
                    fmt::format("the hub rejected '{}': {}", file->path,
                                object == objects.end() ? "without a reason" : object->second.error));
      }
      send(*file, object->second);
    }
  }

  void send(PushedFile& file, LfsObject& object) {
    ++progress_.number;
    progress_.file = file.path;
    const std::uint64_t before = progress_.done_bytes;
    file.state = object.upload ? PushState::kUploaded : PushState::kWasThere;
    if (object.upload) {
      upload_object(api_, repository_, object, place(file), [&](std::uint64_t bytes) {
        progress_.done_bytes = before + bytes;
        if (on_progress_) on_progress_(progress_);
      });
      object.upload.reset();  // another file of the same content need not go again
    }
    progress_.done_bytes = before + file.size;
  }

  std::string commit_lines() const {
    std::string lines;
    const auto add = [&](const char* key, const Json& value) {
      lines.append(Json{{"key", key}, {"value", value}}.dump()).append("\n");
    };
    add("header", {{"summary", options_.message}, {"description", ""}});
    for (const PushedFile& file : result_.files) {
      const auto hash = hashes_.find(file.path);
      if (file.state == PushState::kIgnored) continue;
      if (hash != hashes_.end()) {
        add("lfsFile", {{"path", file.path}, {"algo", "sha256"}, {"oid", hash->second}, {"size", file.size}});
      } else {
        add("file", {{"path", file.path}, {"encoding", "base64"}, {"content", base64(read_file(place(file)))}});
      }
    }
    return lines;
  }

  HubApi& api_;
  const PushOptions& options_;
  const Repository& repository_;
  const OnFetchProgress& on_progress_;
  std::vector<PushedFile*> large_;
  std::map<std::string, std::string> hashes_;  // SHA-256 of large files, by path
  FetchProgress progress_;
  PushResult result_;
};

}  // namespace

std::string_view name_of(PushState state) {
  switch (state) {
    case PushState::kUploaded:
      return "uploaded";
    case PushState::kWasThere:
      return "unchanged";
    case PushState::kInCommit:
      return "in the commit";
    case PushState::kIgnored:
      return "ignored";
  }
  return "ignored";
}

std::vector<PushedFile> files_to_push(const fs::path& folder) {
  std::error_code code;
  if (!fs::is_regular_file(folder / "config.json", code)) {
    const fs::path best = folder / "best";
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{}' is not a model folder: it has no config.json{}", folder.string(),
                            fs::is_regular_file(best / "config.json", code)
                                ? fmt::format("; the model of a fine-tuning is in '{}'", best.string())
                                : ""));
  }
  std::vector<PushedFile> files;
  for (fs::recursive_directory_iterator entry(folder, code); !code && entry != fs::recursive_directory_iterator();
       entry.increment(code)) {
    const fs::path relative = entry->path().lexically_relative(folder);
    if (is_hidden(relative) || !fs::is_regular_file(entry->path())) continue;
    PushedFile file;
    file.path = relative.generic_string();
    check_repository_path(file.path, fmt::format("'{}'", folder.string()));
    if (is_pickle(file.path)) {
      throw Error(ErrorKind::kBadInput, fmt::format("cannot push '{}': {}. Move it out of the folder.",
                                                    entry->path().string(), pickle_reason()));
    }
    file.size = fs::file_size(entry->path());
    files.push_back(std::move(file));
  }
  if (code) throw Error(ErrorKind::kBadInput, fmt::format("cannot read '{}': {}", folder.string(), code.message()));
  std::sort(files.begin(), files.end(), [](const PushedFile& a, const PushedFile& b) { return a.path < b.path; });
  return files;
}

PushResult push(HubApi& api, const PushOptions& options, const OnFetchProgress& on_progress) {
  check_revision(options.revision);
  if (api.options().is_offline) {
    throw Error(ErrorKind::kBadInput, "HF_HUB_OFFLINE is set, but push needs the network. Unset it.");
  }
  if (api.options().token.empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("push needs a token with write permission: set HF_TOKEN, or store it "
                                                  "in the file HF_HOME/token. Create one at {}/settings/tokens.",
                                                  api.options().endpoint));
  }
  return Push(api, options, on_progress).run();
}

}  // namespace transformeter
