// git-lfs's "basic" transfer, and the hub's "multipart": parts by PUT, their ETags back in one POST.
#include "hub/lfs_upload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr const char* kLfsContent = "application/vnd.git-lfs+json";

class ObjectUpload {
 public:
  ObjectUpload(HubApi& api, const Repository& repository, const LfsObject& object, const std::filesystem::path& file)
      : api_(api), repository_(repository), object_(object), file_(file), size_(std::filesystem::file_size(file)) {}

  void run(const SentBytes& sent) {
    if (object_.chunk_size == 0) {
      put(object_.upload->url, object_.upload->headers, {file_, 0, size_}, sent);
    } else {
      put_parts(sent);
    }
    if (object_.verify) tell(object_.verify->url, {{"oid", object_.hash}, {"size", size_}}, "application/json");
  }

 private:
  std::string what() const { return fmt::format("'{}' into {}", file_.string(), repository_.name); }

  HttpResponse put(const std::string& url, const HttpHeaders& headers, const HttpUpload& part, const SentBytes& sent) {
    HttpRequest request;
    request.method = "PUT";
    request.url = url;
    request.headers = headers;
    request.upload = part;
    HttpResponse response = api_.http().send(request, sent);
    api_.check(response, what(), repository_);
    return response;
  }

  void put_parts(const SentBytes& sent) {
    const std::uint64_t chunk = object_.chunk_size;
    const std::uint64_t count = size_ / chunk + (size_ % chunk == 0 ? 0 : 1);
    if (count != object_.chunk_urls.size()) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("the hub accepts {} parts of {} bytes, but '{}' with {} bytes needs {}",
                              object_.chunk_urls.size(), chunk, file_.string(), size_, count));
    }
    Json parts = Json::array();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t offset = i * chunk;
      const HttpResponse response =
          put(object_.chunk_urls[i], {}, {file_, offset, std::min(chunk, size_ - offset)}, [&](std::uint64_t bytes) {
            if (sent) sent(offset + bytes);
          });
      parts.push_back({{"partNumber", i + 1}, {"etag", response.header("etag")}});
    }
    tell(object_.upload->url, {{"oid", object_.hash}, {"parts", parts}}, kLfsContent);
  }

  void tell(const std::string& url, const Json& body, const std::string& content_type) {
    api_.check(api_.post(url, body, content_type), what(), repository_);
  }

  HubApi& api_;
  const Repository& repository_;
  const LfsObject& object_;
  const std::filesystem::path& file_;
  std::uint64_t size_;
};

}  // namespace

void upload_object(HubApi& api, const Repository& repository, const LfsObject& object,
                   const std::filesystem::path& file, const SentBytes& sent) {
  ObjectUpload(api, repository, object, file).run(sent);
}

}  // namespace transformeter
