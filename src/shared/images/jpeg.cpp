// JPEG by libjpeg-turbo, with the settings that Pillow leaves at their defaults: the exact integer transform and smooth
// upsampling of colour.
#include <cstdio>  // jpeglib.h needs it first

#include <jpeglib.h>

#include <jerror.h>

#include <array>
#include <csetjmp>
#include <vector>

#include "images/exif_orientation.h"
#include "images/image_file.h"

namespace transformeter {
namespace {

// The library reports errors by a function that must not return. It jumps back into run(), past frames of the library
// alone and of a step, which owns nothing.
class JpegDecoder {
 public:
  JpegDecoder(std::string_view bytes, const std::string& name, const DecodeLimits& limits)
      : bytes_(bytes), name_(name), limits_(limits) {
    decoder_.err = jpeg_std_error(&errors_);
    decoder_.client_data = this;
    errors_.error_exit = &fail;
    errors_.emit_message = &note;
    progress_.progress_monitor = &check_scans;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&decoder_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Once.
  StoredImage decode();

 private:
  static JpegDecoder& of(j_common_ptr decoder) { return *static_cast<JpegDecoder*>(decoder->client_data); }
  [[noreturn]] static void fail(j_common_ptr decoder);
  static void note(j_common_ptr decoder, int level);
  static void check_scans(j_common_ptr decoder);

  template <typename Step>
  void run(const Step& step) {
    if (setjmp(jump_) == 0) {  // NOLINT(cert-err52-cpp): the only way out of the library
      step();
      return;
    }
    if (ended_early_) throw truncated_image(name_, "JPEG");
    throw broken_image(name_, "JPEG", message_.data());
  }
  void read_header();
  std::int64_t orientation() const;
  Image image();
  void read_rows(Image& image);
  void read_inverted_cmyk(Image& image);

  std::string_view bytes_;
  const std::string& name_;
  const DecodeLimits& limits_;
  jpeg_decompress_struct decoder_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
  bool ended_early_ = false;
};

void JpegDecoder::fail(j_common_ptr decoder) {
  JpegDecoder& self = of(decoder);
  self.errors_.format_message(decoder, self.message_.data());
  std::longjmp(self.jump_, 1);  // NOLINT(cert-err52-cpp)
}

// Damage that the library can conceal is no error, as in Pillow; but it also conceals a missing end, by grey.
void JpegDecoder::note(j_common_ptr decoder, int /*level*/) {
  JpegDecoder& self = of(decoder);
  if (self.errors_.msg_code != JWRN_JPEG_EOF) return;
  self.ended_early_ = true;
  std::longjmp(self.jump_, 1);  // NOLINT(cert-err52-cpp)
}

// Each scan of a progressive image costs a pass over all its pixels, and can be a few bytes of the file.
void JpegDecoder::check_scans(j_common_ptr decoder) {
  JpegDecoder& self = of(decoder);
  if (self.decoder_.input_scan_number <= self.limits_.jpeg_scans) return;
  std::snprintf(self.message_.data(), self.message_.size(), "more than %d scans", self.limits_.jpeg_scans);
  std::longjmp(self.jump_, 1);  // NOLINT(cert-err52-cpp)
}

void JpegDecoder::read_header() {
  run([&] {
    jpeg_create_decompress(&decoder_);
    decoder_.progress = &progress_;
    jpeg_mem_src(&decoder_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_save_markers(&decoder_, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&decoder_, TRUE);
  });
}

StoredImage JpegDecoder::decode() {
  read_header();
  const std::int64_t orientation = this->orientation();  // now, since the library drops the metadata at the end
  return {.image = image(), .orientation = orientation};
}

Image JpegDecoder::image() {
  const ImageSize size{decoder_.image_height, decoder_.image_width};
  check_image_size(name_, size, limits_);
  const int channels = decoder_.num_components;
  if (channels != 1 && channels != 3 && channels != 4) {
    throw refused_image(name_, "it has " + std::to_string(channels) + " channels", "JPEG files may have 1, 3 or 4");
  }
  decoder_.out_color_space = channels == 4 ? JCS_CMYK : JCS_RGB;
  run([&] { jpeg_start_decompress(&decoder_); });
  Image image(size);
  channels == 4 ? read_inverted_cmyk(image) : read_rows(image);
  run([&] { jpeg_finish_decompress(&decoder_); });
  return image;
}

void JpegDecoder::read_rows(Image& image) {
  run([&] {
    while (decoder_.output_scanline < decoder_.output_height) {
      JSAMPROW row = image.row(decoder_.output_scanline);
      jpeg_read_scanlines(&decoder_, &row, 1);
    }
  });
}

// Pillow takes all files of four channels as Adobe writes them: 255 is no ink. From ink C and K, with light = 255 - K:
// light - C * light / 255, the quotient rounded.
void JpegDecoder::read_inverted_cmyk(Image& image) {
  std::vector<std::uint8_t> inks(static_cast<std::size_t>(image.width) * 4);
  run([&] {
    while (decoder_.output_scanline < decoder_.output_height) {
      std::uint8_t* to = image.row(decoder_.output_scanline);
      JSAMPROW row = inks.data();
      jpeg_read_scanlines(&decoder_, &row, 1);
      for (std::int64_t x = 0; x < image.width; ++x) {
        const int light = inks[4 * x + 3];
        for (std::int64_t c = 0; c < kImageChannels; ++c) {
          const int product = (255 - inks[4 * x + c]) * light + 128;
          to[kImageChannels * x + c] = static_cast<std::uint8_t>(light - ((product >> 8) + product) / 256);
        }
      }
    }
  });
}

// EXIF data beyond 64 KiB lie in several markers; each begins with its own heading.
std::int64_t JpegDecoder::orientation() const {
  constexpr std::string_view kExif("Exif\0\0", 6);
  constexpr std::string_view kXmp("http://ns.adobe.com/xap/1.0/\0", 29);
  std::string exif;
  std::string_view xmp;
  for (jpeg_saved_marker_ptr marker = decoder_.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (data.starts_with(kExif)) exif += exif.empty() ? data : data.substr(kExif.size());
    if (data.starts_with(kXmp)) xmp = data.substr(kXmp.size());
  }
  if (const auto orientation = exif_orientation(exif)) return *orientation;
  return xmp_orientation(xmp).value_or(1);
}

}  // namespace

StoredImage decode_jpeg(std::string_view bytes, const std::string& name, const DecodeLimits& limits) {
  return JpegDecoder(bytes, name, limits).decode();
}

}  // namespace transformeter
