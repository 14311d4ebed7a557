// For programs that only turn image files into pixel values: link transformeter_images, which needs only `base` of the
// project.
#pragma once

#include "images/decode_image.h"     // decode_image: JPEG and PNG files as upright RGB images
#include "images/image_processor.h"  // ImageProcessor: from a checkpoint's preprocessor_config.json to pixel values
#include "images/resize_image.h"     // resize_image: Pillow's filters
