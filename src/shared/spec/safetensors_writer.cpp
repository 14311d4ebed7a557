// Header, then the bytes of one tensor after the other.
#include "spec/safetensors_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "spec/safetensors.h"

namespace transformeter {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::size_t kPiece = 1 << 20;  // a file buffers what it is given

std::uint64_t size_of(const StoredTensor& tensor) {
  std::uint64_t bytes = safetensors_dtype_bytes(tensor.dtype);
  for (const std::int64_t size : tensor.shape) bytes *= static_cast<std::uint64_t>(size);
  return bytes;
}

void check(const StoredTensor& tensor, std::string_view bytes) {
  if (bytes.size() == size_of(tensor)) return;
  throw Error(ErrorKind::kInternal,
              fmt::format("cannot write tensor '{}' with {} bytes: its shape [{}] of {} has {}", tensor.name,
                          bytes.size(), fmt::join(tensor.shape, ", "), tensor.dtype, size_of(tensor)));
}

std::string header_of(const std::vector<StoredTensor>& tensors, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t begin = 0;
  for (const StoredTensor& tensor : tensors) {
    if (!tensor.make_bytes) check(tensor, tensor.bytes);
    if (header.contains(tensor.name)) {
      throw Error(ErrorKind::kInternal, fmt::format("cannot write tensor '{}' twice", tensor.name));
    }
    const std::uint64_t end = begin + size_of(tensor);
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = canonical_json(header);
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

void write_length(AtomicFile& file, std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xFF);
  file.write(bytes);
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::vector<StoredTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    const std::uint64_t width = safetensors_dtype_bytes(a.dtype);
    const std::uint64_t other = safetensors_dtype_bytes(b.dtype);
    return width != other ? width > other : a.name < b.name;
  });
  const std::string header = header_of(tensors, metadata);
  AtomicFile file(path);
  write_length(file, header.size());
  file.write(header);
  for (const StoredTensor& tensor : tensors) {
    const std::string_view bytes = tensor.make_bytes ? tensor.make_bytes() : tensor.bytes;
    check(tensor, bytes);
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) file.write(bytes.substr(at, kPiece));
  }
  file.commit();
}

}  // namespace transformeter
