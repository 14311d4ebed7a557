// PNG by libpng. Its transformations give RGB of 8 bits for all kinds of files but one: grey of 16 bits, of which
// Pillow does not take the upper half.
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "images/exif_orientation.h"
#include "images/image_file.h"

namespace transformeter {
namespace {

// The library allocates what a chunk of metadata claims to have, which may be 2 GiB, before it reads it, and takes its
// own limit for advice. Rows need far less.
constexpr png_alloc_size_t kLargestAllocation = 64 << 20;

// The bytes of a text like "\nexif\n  12\n4578...": hexadecimal from the fourth line on, as ImageMagick writes EXIF
// data.
std::string raw_profile(std::string_view text) {
  for (int line = 0; line < 3; ++line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    if (high >= 0) bytes += static_cast<char>(high * 16 + static_cast<int>(digit));
    high = high >= 0 ? -1 : static_cast<int>(digit);
  }
  return bytes;
}

// As JpegDecoder: the library's errors jump back into run().
class PngDecoder {
 public:
  PngDecoder(std::string_view bytes, const std::string& name, const DecodeLimits& limits);
  ~PngDecoder() { png_destroy_read_struct(&decoder_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// Once.
  Image image();
  /// After image(), since metadata may follow the pixels.
  std::int64_t orientation();

 private:
  static PngDecoder& of(png_structp decoder) { return *static_cast<PngDecoder*>(png_get_error_ptr(decoder)); }
  [[noreturn]] static void fail(png_structp decoder, png_const_charp message);
  static void ignore_warning(png_structp, png_const_charp) {}
  static png_voidp allocate(png_structp, png_alloc_size_t size) {
    return size <= kLargestAllocation ? std::malloc(size) : nullptr;
  }
  static void release(png_structp, png_voidp memory) { std::free(memory); }
  static void read_bytes(png_structp decoder, png_bytep to, std::size_t count);

  template <typename Step>
  bool succeeds(const Step& step) {
    if (setjmp(jump_) != 0) return false;  // NOLINT(cert-err52-cpp): the only way out of the library
    step();
    return true;
  }
  template <typename Step>
  void run(const Step& step) {
    if (succeeds(step)) return;
    if (ended_early_) throw truncated_image(name_, "PNG");
    throw broken_image(name_, "PNG", message_.data());
  }
  void read_rows(std::uint8_t* first, std::int64_t row_bytes, std::int64_t height);
  Image grey_of_16_bits(ImageSize size);

  const std::string& name_;
  const DecodeLimits& limits_;
  std::string_view unread_;
  png_structp decoder_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_{};
  std::array<char, 128> message_{};
  bool ended_early_ = false;
};

PngDecoder::PngDecoder(std::string_view bytes, const std::string& name, const DecodeLimits& limits)
    : name_(name), limits_(limits), unread_(bytes) {
  decoder_ =
      png_create_read_struct_2(PNG_LIBPNG_VER_STRING, this, &fail, &ignore_warning, nullptr, &allocate, &release);
  if (decoder_ != nullptr) info_ = png_create_info_struct(decoder_);
  if (info_ != nullptr) png_set_read_fn(decoder_, this, &read_bytes);
}

void PngDecoder::fail(png_structp decoder, png_const_charp message) {
  PngDecoder& self = of(decoder);
  std::snprintf(self.message_.data(), self.message_.size(), "%s", message);
  std::longjmp(self.jump_, 1);  // NOLINT(cert-err52-cpp)
}

void PngDecoder::read_bytes(png_structp decoder, png_bytep to, std::size_t count) {
  PngDecoder& self = of(decoder);
  self.ended_early_ = self.unread_.size() < count;
  if (self.ended_early_) png_error(decoder, "the file ends");
  std::memcpy(to, self.unread_.data(), count);
  self.unread_.remove_prefix(count);
}

Image PngDecoder::image() {
  if (info_ == nullptr) throw Error(ErrorKind::kOutOfMemory, "no memory to decode image '" + name_ + "'");
  run([&] {
    png_set_user_limits(decoder_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_image_size() knows the limit

    png_read_info(decoder_, info_);
  });
  const ImageSize size{png_get_image_height(decoder_, info_), png_get_image_width(decoder_, info_)};
  check_image_size(name_, size, limits_);
  if (png_get_bit_depth(decoder_, info_) == 16 && png_get_color_type(decoder_, info_) == PNG_COLOR_TYPE_GRAY) {
    return grey_of_16_bits(size);
  }
  run([&] {
    png_set_strip_16(decoder_);
    png_set_expand(decoder_);
    png_set_gray_to_rgb(decoder_);
    png_set_strip_alpha(decoder_);
  });
  Image image(size);
  read_rows(image.pixels.data(), image.row_bytes(), size.height);
  return image;
}

Image PngDecoder::grey_of_16_bits(ImageSize size) {
  std::vector<std::uint8_t> values(static_cast<std::size_t>(size.height * size.width * 2));
  read_rows(values.data(), size.width * 2, size.height);
  Image image(size);
  for (std::size_t i = 0; i < values.size() / 2; ++i) {
    std::fill_n(image.pixels.data() + i * kImageChannels, kImageChannels, values[2 * i] > 0 ? 255 : values[2 * i + 1]);
  }
  return image;
}

// Rows of an interlaced file come several times, each time with more of their pixels.
void PngDecoder::read_rows(std::uint8_t* first, std::int64_t row_bytes, std::int64_t height) {
  run([&] {
    const int passes = png_set_interlace_handling(decoder_);
    png_read_update_info(decoder_, info_);
    if (static_cast<std::int64_t>(png_get_rowbytes(decoder_, info_)) != row_bytes)
      png_error(decoder_, "wrong row size");
    for (int pass = 0; pass < passes; ++pass) {
      for (std::int64_t y = 0; y < height; ++y) png_read_row(decoder_, first + y * row_bytes, nullptr);
    }
  });
}

std::int64_t PngDecoder::orientation() {
  succeeds([&] { png_read_end(decoder_, info_); });  // the pixels are there: a broken end is no matter, as in Pillow
  png_uint_32 exif_size = 0;
  png_bytep exif = nullptr;
  png_get_eXIf_1(decoder_, info_, &exif_size, &exif);
  auto orientation = exif_orientation({reinterpret_cast<const char*>(exif), exif_size});
  png_textp texts = nullptr;
  int count = 0;
  png_get_text(decoder_, info_, &texts, &count);
  std::string_view xmp;
  for (int i = 0; i < count; ++i) {
    const std::string_view key = texts[i].key;
    const std::string_view text(texts[i].text, std::max(texts[i].text_length, texts[i].itxt_length));
    if (key == "Raw profile type exif" && exif_size == 0) orientation = exif_orientation(raw_profile(text));
    if (key == "XML:com.adobe.xmp") xmp = text;
  }
  return orientation ? *orientation : xmp_orientation(xmp).value_or(1);
}

}  // namespace

StoredImage decode_png(std::string_view bytes, const std::string& name, const DecodeLimits& limits) {
  PngDecoder decoder(bytes, name, limits);
  StoredImage stored{.image = decoder.image()};
  stored.orientation = decoder.orientation();
  return stored;
}

}  // namespace transformeter
