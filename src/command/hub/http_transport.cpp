// libcurl's easy interface. Its callbacks are C: exceptions are carried around them.
#include "hub/http_transport.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <exception>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"

namespace transformeter {
namespace {

constexpr std::size_t kLargestBody = 64 << 20;
constexpr std::size_t kLargestErrorBody = 64 << 10;

class HeaderList {
 public:
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;

  void add(const std::string& line) {
    // A line break would begin a header of the server's, or of the token file's, choosing.
    if (line.find_first_of("\r\n") != std::string::npos || line.find('\0') != std::string::npos) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("a request header contains a line break: '{}'", excerpt(line.substr(0, line.find(':')))));
    }
    list_ = curl_slist_append(list_, line.c_str());
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

class UploadFile {
 public:
  explicit UploadFile(const HttpUpload& upload) : left_(upload.size) {
    descriptor_ = ::open(upload.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0 || ::lseek(descriptor_, static_cast<off_t>(upload.offset), SEEK_SET) < 0) {
      throw Error(ErrorKind::kBadInput, fmt::format("cannot read '{}': {}", upload.file.string(), strerror(errno)));
    }
  }
  ~UploadFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  UploadFile(const UploadFile&) = delete;
  UploadFile& operator=(const UploadFile&) = delete;

  /// CURL_READFUNC_ABORT when the file cannot be read to its promised end.
  std::size_t read(char* buffer, std::size_t size) {
    if (left_ == 0) return 0;
    const ssize_t count = ::read(descriptor_, buffer, std::min<std::uint64_t>(size, left_));
    if (count <= 0) return CURL_READFUNC_ABORT;
    left_ -= static_cast<std::uint64_t>(count);
    return static_cast<std::size_t>(count);
  }

 private:
  int descriptor_ = -1;
  std::uint64_t left_;
};

// What the callbacks of one exchange share.
struct Exchange {
  HttpResponse response;
  const BodySink& sink;
  const SentBytes& sent;
  const std::atomic<bool>* interrupt;
  std::unique_ptr<UploadFile> upload;
  std::exception_ptr error;

  bool is_interrupted() const { return interrupt != nullptr && interrupt->load(); }

  void take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {  // also of a proxy and of "100 Continue": the last one counts
      response.headers.clear();
      const std::size_t blank = line.find(' ');
      const auto status = parse_integer(blank == std::string_view::npos ? "" : line.substr(blank + 1, 3));
      response.status = static_cast<int>(status.value_or(0));
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    response.headers.emplace(std::move(name), std::string(trim(line.substr(colon + 1))));
  }

  bool take_body(std::string_view bytes) {
    const bool is_success = response.status >= 200 && response.status < 300;
    if (is_success && sink) {
      sink(response, bytes);
      return true;
    }
    if (!is_success) {
      response.body.append(bytes.substr(0, kLargestErrorBody - response.body.size()));
      return true;
    }
    if (response.body.size() + bytes.size() > kLargestBody) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("the response of {} is larger than {} bytes", response.url, kLargestBody));
    }
    response.body.append(bytes);
    return true;
  }
};

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  try {
    exchange.take_header({data, size});
    return size;
  } catch (...) {
    exchange.error = std::current_exception();
    return size + 1;
  }
}

std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  try {
    exchange.take_body({data, size});
    return size;
  } catch (...) {
    exchange.error = std::current_exception();
    return size + 1;
  }
}

std::size_t on_read(char* buffer, std::size_t size, std::size_t count, void* user) {
  return static_cast<Exchange*>(user)->upload->read(buffer, size * count);
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent) {
  auto& exchange = *static_cast<Exchange*>(user);
  try {
    if (exchange.sent) exchange.sent(static_cast<std::uint64_t>(sent));
    return exchange.is_interrupted() ? 1 : 0;
  } catch (...) {
    exchange.error = std::current_exception();
    return 1;
  }
}

// Another try can only help where the way was broken, not where it does not exist.
bool may_pass(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_READ_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
      return false;
    default:
      return true;
  }
}

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string value(text);
  curl_free(text);
  return value;
}

}  // namespace

std::string origin_of(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    throw bad_value("URL", excerpt(url), "an http or https URL");
  }
  const std::string scheme = part_of(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") throw bad_value("URL", excerpt(url), "an http or https URL");
  std::string host = part_of(parsed.get(), CURLUPART_HOST);
  std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return std::tolower(c); });
  return fmt::format("{}://{}:{}", scheme, host, part_of(parsed.get(), CURLUPART_PORT));
}

struct HttpTransport::State {
  HttpSettings settings;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy{curl_easy_init(), &curl_easy_cleanup};
};

HttpTransport::HttpTransport(const HttpSettings& settings) : state_(std::make_unique<State>()) {
  state_->settings = settings;
  if (!state_->easy) throw Error(ErrorKind::kInternal, "cannot initialize libcurl");
}

HttpTransport::~HttpTransport() = default;

namespace {

void set_limits(CURL* easy, const HttpSettings& settings) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings.connect_limit.count() * 1000));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(settings.stall_timeout.count())));
}

void set_callbacks(CURL* easy, Exchange& exchange) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

void set_request(CURL* easy, const HttpRequest& request, Exchange& exchange) {
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, fmt::format("transformeter/{}", program_version()).c_str());
  if (request.upload) {
    exchange.upload = std::make_unique<UploadFile>(*request.upload);
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, &exchange);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.upload->size));
  } else if (request.method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
}

}  // namespace

HttpResponse HttpTransport::exchange(const HttpRequest& request, const BodySink& sink, const SentBytes& sent) {
  CURL* easy = state_->easy.get();
  curl_easy_reset(easy);  // keeps the connections
  Exchange exchange{{}, sink, sent, state_->settings.interrupt, nullptr, nullptr};
  exchange.response.url = request.url;
  if (exchange.is_interrupted()) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  HeaderList headers;
  for (const auto& [name, value] : request.headers) headers.add(fmt::format("{}: {}", name, value));
  if (!request.token.empty()) headers.add("Authorization: Bearer " + request.token);
  headers.add("Expect:");  // an upload waits for no "100 Continue"
  char reason[CURL_ERROR_SIZE] = "";
  set_limits(easy, state_->settings);
  set_callbacks(easy, exchange);
  set_request(easy, request, exchange);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason);
  const CURLcode code = curl_easy_perform(easy);
  if (exchange.error) std::rethrow_exception(exchange.error);
  if (exchange.is_interrupted()) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  if (code != CURLE_OK) {
    exchange.response.fault = reason[0] == '\0' ? curl_easy_strerror(code) : reason;
    exchange.response.may_pass = may_pass(code);
  }
  const char* redirect = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &redirect) == CURLE_OK && redirect != nullptr) {
    exchange.response.redirect = redirect;
  }
  return std::move(exchange.response);
}

}  // namespace transformeter
