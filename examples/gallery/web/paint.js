// painter returns a function that draws a picture on a canvas: with WebGL2, or without it pixel by pixel.

const pointVertex = `#version 300 es
layout(location = 0) in vec2 at;
layout(location = 1) in vec4 look;
uniform float height;
out vec3 tone;
void main() {
  gl_Position = vec4(at, 0.0, 1.0);
  gl_PointSize = max(1.5, look.w * 0.1 * height);
  tone = look.rgb;
}`;

const glowFragment = `#version 300 es
precision mediump float;
in vec3 tone;
out vec4 color;
void main() {
  vec2 d = 2.0 * gl_PointCoord - 1.0;
  float near = max(0.0, 1.0 - dot(d, d));
  color = vec4(tone * near * near, 1.0);
}`;

const ballFragment = `#version 300 es
precision mediump float;
in vec3 tone;
out vec4 color;
void main() {
  vec2 d = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(d, d);
  if (r2 > 1.0) discard;
  vec3 normal = vec3(d.x, -d.y, sqrt(1.0 - r2));
  float light = max(0.0, dot(normal, vec3(-0.42, 0.58, 0.70)));
  float shine = pow(max(0.0, dot(normal, vec3(-0.27, 0.38, 0.885))), 24.0);
  color = vec4(tone * (0.34 + 0.72 * light) + 0.22 * shine, smoothstep(1.0, 0.86, r2));
}`;

// The coordinates of faces are a quarter as large, because a corner may be outside of the picture.
const faceVertex = `#version 300 es
layout(location = 0) in vec2 at;
layout(location = 1) in vec4 look;
out vec4 tone;
void main() {
  gl_Position = vec4(4.0 * at, 0.0, 1.0);
  tone = look;
}`;

const faceFragment = `#version 300 es
precision mediump float;
in vec4 tone;
out vec4 color;
void main() { color = tone; }`;

const cellVertex = `#version 300 es
uniform float aspect;
out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = vec2((corner.x - 0.5) * aspect + 0.5, 1.0 - corner.y);
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}`;

const cellFragment = `#version 300 es
precision mediump float;
uniform sampler2D cells;
in vec2 at;
out vec4 color;
void main() { color = texture(cells, at); }`;

function program(gl, vertex, fragment) {
  const p = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, source);
    gl.compileShader(s);
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  return p;
}

// fit gives the canvas as many pixels as the screen has for it, and at most two for each pixel of CSS.
function fit(canvas) {
  const scale = Math.min(2, devicePixelRatio);
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}

function webgl(canvas, gl) {
  const glow = program(gl, pointVertex, glowFragment);
  const balls = program(gl, pointVertex, ballFragment);
  const faces = program(gl, faceVertex, faceFragment);
  const cells = program(gl, cellVertex, cellFragment);
  const points = gl.createVertexArray();
  gl.bindVertexArray(points);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.SHORT, true, 8, 0);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 8, 4);
  const quad = gl.createVertexArray();
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR); // the default wraps, as periodic cells do
  gl.clearColor(0.027, 0.035, 0.051, 1);
  return (look, bytes, width, height) => {
    fit(canvas);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (look === "cells") {
      gl.disable(gl.BLEND);
      gl.useProgram(cells);
      gl.bindVertexArray(quad);
      gl.uniform1f(gl.getUniformLocation(cells, "aspect"), ((canvas.width / canvas.height) * height) / width);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      return;
    }
    const used = { glow, balls, faces }[look];
    gl.enable(gl.BLEND);
    look === "glow" ? gl.blendFunc(gl.ONE, gl.ONE) : gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(used);
    gl.bindVertexArray(points);
    gl.uniform1f(gl.getUniformLocation(used, "height"), canvas.height);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STREAM_DRAW);
    gl.drawArrays(look === "faces" ? gl.TRIANGLES : gl.POINTS, 0, bytes.length / 8);
  };
}

function plain(canvas) {
  const context = canvas.getContext("2d");
  return (look, bytes, width, height) => {
    fit(canvas);
    context.fillStyle = "#07090d";
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (look === "cells") {
      const one = new OffscreenCanvas(width, height);
      one.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(bytes), width), 0, 0);
      const wide = (canvas.height * width) / height;
      for (const side of [-1, 0, 1]) {
        context.drawImage(one, canvas.width / 2 + (side - 0.5) * wide, 0, wide, canvas.height);
      }
      return;
    }
    context.strokeStyle = "rgb(0 0 0 / 0.3)";
    context.globalCompositeOperation = look === "glow" ? "lighter" : "source-over";
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (look === "faces") {
      for (let i = 0; i < bytes.length; i += 24) {
        context.beginPath();
        for (let k = i; k < i + 24; k += 8) {
          context.lineTo(((view.getInt16(k, true) / 8191.75 + 1) / 2) * canvas.width, ((1 - view.getInt16(k + 2, true) / 8191.75) / 2) * canvas.height);
        }
        context.fillStyle = `rgb(${bytes[i + 4]} ${bytes[i + 5]} ${bytes[i + 6]} / ${bytes[i + 7] / 255})`;
        context.fill();
      }
      return;
    }
    for (let i = 0; i < bytes.length; i += 8) {
      const size = Math.max(1, (bytes[i + 7] / 2550) * canvas.height);
      const x = ((view.getInt16(i, true) / 32767 + 1) / 2) * canvas.width;
      const y = ((1 - view.getInt16(i + 2, true) / 32767) / 2) * canvas.height;
      context.fillStyle = `rgb(${bytes[i + 4]} ${bytes[i + 5]} ${bytes[i + 6]})`;
      if (look === "balls" && size > 4) {
        context.beginPath();
        context.arc(x, y, size / 2, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      } else context.fillRect(x - size / 2, y - size / 2, size, size);
    }
    context.globalCompositeOperation = "source-over";
  };
}

export function painter(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  return gl ? webgl(canvas, gl) : plain(canvas);
}
